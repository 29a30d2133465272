import type { Opened, Stack } from "./stack.ts";
export function openOlympusText(_opened: Opened, _one: (opened: Opened) => Stack): Stack | null {
  return null;
}
