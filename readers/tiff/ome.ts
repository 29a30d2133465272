import type { Opened, Stack } from "./stack.ts";
export function openOme(_opened: Opened): Stack | null {
  return null;
}
