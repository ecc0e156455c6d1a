// The time that the 3D view, the scrubbers and the charts of one motion share.

type Listener = (time: number) => void;

export class Clock {
  readonly start: number;
  readonly end: number;
  private time_: number;
  private rate_ = 1;
  private playing_ = false;
  private frame_ = 0;
  private last_ = 0;
  private readonly onTime_: Listener[] = [];
  private readonly onState_: (() => void)[] = [];

  constructor(times: readonly number[]) {
    this.start = times[0] ?? 0;
    this.end = times[times.length - 1] ?? this.start;
    this.time_ = this.start;
  }

  get time(): number {
    return this.time_;
  }
  get playing(): boolean {
    return this.playing_;
  }
  get rate(): number {
    return this.rate_;
  }
  get span(): number {
    return this.end - this.start;
  }

  set(time: number): void {
    if (!Number.isFinite(time)) return;
    const held = Math.min(Math.max(time, this.start), this.end);
    if (held === this.time_) return;
    this.time_ = held;
    for (const listener of this.onTime_) listener(held);
  }

  /** A step by hand stops the playing first. */
  move(time: number): void {
    this.pause();
    this.set(time);
  }

  setRate(rate: number): void {
    if (!(rate > 0) || rate === this.rate_) return;
    this.rate_ = rate;
    this.tell();
  }

  play(): void {
    if (this.playing_ || !(this.span > 0)) return;
    if (this.time_ >= this.end) this.set(this.start);
    this.playing_ = true;
    this.last_ = NaN;
    this.frame_ = requestAnimationFrame((now) => this.step(now));
    this.tell();
  }

  pause(): void {
    if (!this.playing_) return;
    this.playing_ = false;
    cancelAnimationFrame(this.frame_);
    this.tell();
  }

  toggle(): void {
    if (this.playing_) this.pause();
    else this.play();
  }

  onTime(listener: Listener): void {
    this.onTime_.push(listener);
  }
  onState(listener: () => void): void {
    this.onState_.push(listener);
  }

  private tell(): void {
    for (const listener of this.onState_) listener();
  }

  private step(now: number): void {
    if (!this.playing_) return;
    // A tab that slept must not jump: at most a tenth of a second passes per frame.
    const passed = Number.isNaN(this.last_) ? 0 : Math.min(0.1, Math.max(0, (now - this.last_) / 1000));
    this.last_ = now;
    const time = this.time_ + passed * this.rate_;
    if (time >= this.end) {
      this.set(this.end);
      this.pause();
      return;
    }
    this.set(time);
    this.frame_ = requestAnimationFrame((next) => this.step(next));
  }
}
