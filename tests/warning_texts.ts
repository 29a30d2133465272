/** Warnings as tests compare them. */
import type { Warning } from "../readers/warning.ts";

/** What they say. */
export const textsOf = (warnings: readonly Warning[]): string[] => warnings.map(({ text }) => text);

/** Their codes. */
export const codesOf = (warnings: readonly Warning[]): string[] => warnings.map(({ code }) => code);
