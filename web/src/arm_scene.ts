// The robot in three.js. Nothing here knows of time: it is given poses and draws them.

import {
  AmbientLight,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  Color,
  CylinderGeometry,
  DirectionalLight,
  DoubleSide,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  PCFSoftShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  Quaternion,
  Scene,
  ShadowMaterial,
  SphereGeometry,
  Vector3,
  WebGLRenderer,
  type Material,
  type Object3D,
} from 'three';
import type { Pose, Poses } from './kinematics';
import { horizon } from './orbit';
import type { Model, Vec3 } from './report';
import { distance, radii, sticks, upward, type Survey } from './skeleton';
import { colour, seriesName } from './theme';

function matrix(pose: Pose): Matrix4 {
  return new Matrix4().set(
    pose[0]!,
    pose[1]!,
    pose[2]!,
    pose[3]!,
    pose[4]!,
    pose[5]!,
    pose[6]!,
    pose[7]!,
    pose[8]!,
    pose[9]!,
    pose[10]!,
    pose[11]!,
    0,
    0,
    0,
    1,
  );
}

function linePoints(points: Vec3[]): BufferGeometry {
  return new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(points.flat()), 3));
}

/** The colour that a link shares with the curve of the joint that moves it. */
export function linkColour(model: Model, link: number): string {
  for (let at = link, guard = model.links.length; guard > 0; --guard) {
    const joint = model.joints.find((candidate) => candidate.child === at);
    if (!joint) return '--muted';
    if (joint.coordinate !== null) return seriesName(joint.coordinate);
    at = joint.parent;
  }
  return '--muted';
}

type Tinted = Material & { color: Color };

export class ArmScene {
  readonly camera = new PerspectiveCamera(30, 1, 0.01, 100);
  private readonly renderer_: WebGLRenderer;
  private readonly scene_ = new Scene();
  private readonly tinted_: { material: Tinted; name: string }[] = [];
  private readonly links_: Group[] = [];
  private readonly markers_: Group[] = [];
  private readonly sticks_: { thin: Mesh; body: Mesh | null }[] = []; // in the order of sticks()
  private readonly inertias_: Object3D[] = []; // and the axes of the joints
  private readonly drums_: { mesh: Mesh; radius: number }[] = [];
  private trail_: Line | null = null;
  private readonly up_: Vec3;

  /** Throws when the browser has no WebGL to give. */
  constructor(
    canvas: HTMLCanvasElement,
    private readonly model_: Model,
    private readonly survey_: Survey,
  ) {
    this.renderer_ = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer_.setClearAlpha(0);
    this.renderer_.shadowMap.enabled = true;
    this.renderer_.shadowMap.type = PCFSoftShadowMap;
    this.up_ = upward(model_.gravity);
    this.camera.up.set(...this.up_);
    this.camera.near = survey_.radius / 50;
    this.camera.far = survey_.radius * 60;
    this.light();
    this.ground();
    this.body();
    this.trail();
    this.recolour();
  }

  private solid(name: string, opacity = 1): MeshStandardMaterial {
    const material = new MeshStandardMaterial({ roughness: 0.62, metalness: 0.02, transparent: opacity < 1, opacity, depthWrite: opacity === 1 });
    this.tinted_.push({ material, name });
    return material;
  }

  private stroke(name: string, opacity = 1): LineBasicMaterial {
    const material = new LineBasicMaterial({ transparent: opacity < 1, opacity });
    this.tinted_.push({ material, name });
    return material;
  }

  private light(): void {
    const { centre, radius } = this.survey_;
    const [e1, e2] = horizon(this.up_);
    const beam = new DirectionalLight(0xffffff, 2.3);
    const place = centre.map((x, i) => x + radius * (1.6 * e1[i]! - 1.1 * e2[i]! + 3.4 * this.up_[i]!)) as Vec3;
    beam.position.set(...place);
    beam.target.position.set(...centre);
    beam.castShadow = true;
    beam.shadow.mapSize.set(1024, 1024);
    beam.shadow.radius = 6;
    beam.shadow.bias = -0.002;
    const lens = beam.shadow.camera;
    lens.left = lens.bottom = -1.8 * radius;
    lens.right = lens.top = 1.8 * radius;
    lens.near = 0.1 * radius;
    lens.far = 10 * radius;
    this.scene_.add(beam, beam.target, new AmbientLight(0xffffff, 1.5));
  }

  /** A square grid through the base, with round spacing, and the axes of the base frame. */
  private ground(): void {
    const { radius, size } = this.survey_;
    const rough = radius / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough)!;
    const cells = Math.max(3, Math.ceil((1.5 * radius) / step));
    const [e1, e2] = horizon(this.up_);
    const at = (x: number, y: number): Vec3 => [0, 1, 2].map((i) => x * step * e1[i]! + y * step * e2[i]!) as Vec3;
    const lines: Vec3[] = [];
    for (let k = -cells; k <= cells; ++k) lines.push(at(k, -cells), at(k, cells), at(-cells, k), at(cells, k));
    const grid = new LineSegments(linePoints(lines), this.stroke('--rule', 0.9));
    grid.renderOrder = -1;
    const plane = new Mesh(new PlaneGeometry(2 * cells * step, 2 * cells * step), new ShadowMaterial({ opacity: 0.16, side: DoubleSide, depthWrite: false }));
    plane.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(...this.up_));
    plane.receiveShadow = true;
    this.scene_.add(grid, plane);

    const names = ['--series-8', '--series-3', '--series-1']; // x, y, z as red, green, blue, which the palette has in these places
    names.forEach((name, i) => {
      const direction: Vec3 = [0, 0, 0];
      direction[i] = 1;
      const arm = new Mesh(new CylinderGeometry(0.006 * size, 0.006 * size, 1, 8), this.solid(name));
      this.span(arm, [0, 0, 0], direction.map((d) => d * 0.24 * size) as Vec3);
      this.scene_.add(arm);
    });
  }

  private body(): void {
    const { size } = this.survey_;
    const ball = new SphereGeometry(1, 40, 28);
    const rod = new CylinderGeometry(1, 1, 1, 16);
    this.model_.links.forEach((link, l) => {
      const group = new Group();
      group.matrixAutoUpdate = false;
      if (link.ellipsoid) {
        const { axes, rotation: r } = link.ellipsoid;
        const [a, b, c] = axes.map((x) => Math.max(x, 0.006 * size)) as Vec3;
        const mesh = new Mesh(ball, this.solid(linkColour(this.model_, l), 0.5));
        mesh.matrixAutoUpdate = false;
        mesh.castShadow = true;
        mesh.matrix.set(
          r[0]! * a,
          r[1]! * b,
          r[2]! * c,
          link.com[0],
          r[3]! * a,
          r[4]! * b,
          r[5]! * c,
          link.com[1],
          r[6]! * a,
          r[7]! * b,
          r[8]! * c,
          link.com[2],
          0,
          0,
          0,
          1,
        );
        group.add(mesh);
        this.inertias_.push(mesh);
        const centre = new Mesh(ball, this.solid('--ink'));
        centre.position.set(...link.com);
        centre.scale.setScalar(0.011 * size);
        group.add(centre);
        this.inertias_.push(centre);
      }
      this.links_.push(group);
      this.scene_.add(group);
    });
    const thick = radii(this.model_, size);
    for (const joint of this.model_.joints) {
      const group = new Group();
      group.matrixAutoUpdate = false;
      const turnToAxis = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(...joint.axis).normalize());
      const name = joint.coordinate === null ? '--muted' : seriesName(joint.coordinate);
      const part = (object: Object3D) => {
        object.quaternion.copy(turnToAxis);
        group.add(object);
      };
      if (joint.kind === 'prismatic') {
        const box = new Mesh(new BoxGeometry(0.055 * size, 0.1 * size, 0.055 * size), this.solid(name));
        box.castShadow = true;
        part(box);
      } else if (joint.kind !== 'fixed') {
        const drum = new Mesh(rod, this.solid(name));
        drum.castShadow = true;
        this.drums_.push({ mesh: drum, radius: Math.max(thick[joint.parent]!, thick[joint.child]!) });
        part(drum);
      } else {
        const knot = new Mesh(ball, this.solid('--muted'));
        knot.scale.setScalar(0.02 * size);
        group.add(knot);
      }
      if (joint.kind !== 'fixed') {
        const line = new Line(
          linePoints([
            [0, -0.2 * size, 0],
            [0, 0.2 * size, 0],
          ]),
          this.stroke(name),
        );
        part(line);
        this.inertias_.push(line);
      }
      this.markers_.push(group);
      this.scene_.add(group);
    }
    const zero: Poses = {
      links: this.model_.links.map(() => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]),
      fixed: this.model_.joints.map((joint) => joint.before),
      moved: this.model_.joints.map((joint) => joint.before),
    };
    for (const stick of sticks(this.model_, zero)) {
      const thin = new Mesh(rod, this.solid(stick.rail ? '--rule' : '--muted'));
      thin.castShadow = true;
      thin.userData['thick'] = (stick.rail ? 0.008 : 0.013) * size;
      // Links are rigid: a capsule keeps its length. The way of a slide does not.
      const length = distance(stick.from, stick.to);
      let body: Mesh | null = null;
      if (!stick.rail && length > 1e-7) {
        body = new Mesh(new CapsuleGeometry(thick[stick.link]!, length, 10, 24), this.solid(linkColour(this.model_, stick.link)));
        body.castShadow = true;
        this.scene_.add(body);
      }
      this.sticks_.push({ thin, body });
      this.scene_.add(thin);
    }
    this.showInertias(false);
  }

  /** Ellipsoids of the links' inertias on sticks, and the joints' axes, in place of the links' capsules. */
  showInertias(on: boolean): void {
    const { size } = this.survey_;
    for (const object of this.inertias_) object.visible = on;
    for (const { thin, body } of this.sticks_)
      if (body) {
        body.visible = !on;
        thin.visible = on;
      }
    for (const { mesh, radius } of this.drums_) {
      const r = on ? 0.03 * size : 1.12 * radius;
      mesh.scale.set(r, on ? 0.085 * size : 2.5 * radius, r);
    }
  }

  private trail(): void {
    if (this.survey_.trail.length < 2) return;
    const geometry = linePoints(this.survey_.trail.map((point) => point.at));
    this.scene_.add(new Line(geometry, this.stroke('--accent', 0.28)));
    this.trail_ = new Line(geometry.clone(), this.stroke('--accent'));
    this.scene_.add(this.trail_);
  }

  /** Lays a cylinder of height 1 along y from one point to another; `keep`: what has this length already. */
  private span(mesh: Mesh, from: Vec3, to: Vec3, keep = false): void {
    const a = new Vector3(...from),
      b = new Vector3(...to);
    const length = a.distanceTo(b);
    if (length <= 1e-7) {
      mesh.scale.setScalar(0);
      return;
    }
    mesh.position.addVectors(a, b).multiplyScalar(0.5);
    mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), b.sub(a).divideScalar(length));
    const thick = (mesh.userData['thick'] as number | undefined) ?? 1;
    if (!keep) mesh.scale.set(thick, length, thick);
  }

  pose(at: Poses, time: number): void {
    this.links_.forEach((group, l) => group.matrix.copy(matrix(at.links[l]!)));
    this.markers_.forEach((group, j) => group.matrix.copy(matrix(this.model_.joints[j]!.kind === 'prismatic' ? at.fixed[j]! : at.moved[j]!)));
    sticks(this.model_, at).forEach((stick, i) => {
      const drawn = this.sticks_[i];
      if (!drawn) return;
      this.span(drawn.thin, stick.from, stick.to);
      if (drawn.body) this.span(drawn.body, stick.from, stick.to, true);
    });
    if (this.trail_) {
      const { trail } = this.survey_;
      const passed = trail.findIndex((point) => point.t > time + 1e-12);
      this.trail_.geometry.setDrawRange(0, passed < 0 ? trail.length : passed);
    }
  }

  recolour(): void {
    for (const { material, name } of this.tinted_) material.color.set(colour(name));
  }

  resize(width: number, height: number): void {
    this.renderer_.setPixelRatio(Math.min(2, globalThis.devicePixelRatio || 1));
    this.renderer_.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  look(eye: Vec3, target: Vec3): void {
    this.camera.position.set(...eye);
    this.camera.lookAt(...target);
  }

  /** The place of a point in the picture, in parts of its width and height. */
  project(p: Vec3): { x: number; y: number; inside: boolean } {
    const v = new Vector3(...p).project(this.camera);
    return { x: (v.x + 1) / 2, y: (1 - v.y) / 2, inside: Math.abs(v.x) < 1 && Math.abs(v.y) < 1 && v.z < 1 };
  }

  render(): void {
    this.renderer_.render(this.scene_, this.camera);
  }
}
