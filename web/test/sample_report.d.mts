import type { Report } from '../src/report';
export function sampleReport(): Report;
export function samplePage(report: unknown, script: string): string;
export function drawnMotion(motion: unknown): string;
export function drawnGrowth(all: unknown): string;
