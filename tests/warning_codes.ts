/** Warnings as tests compare them. */
import type { Warning } from "../readers/warning.ts";

export const codesOf = (warnings: readonly Warning[]): string[] => warnings.map(({ code }) => code);
