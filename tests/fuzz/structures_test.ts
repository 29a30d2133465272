import { deepEqual } from "node:assert/strict";
import { endsTexts } from "./structures.ts";

Deno.test("zeros that end a text earlier are told from zeros inside it, and elsewhere", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const whole = bytes("..GFP\x00..2024-03-05..");
  const texts = [bytes("GFP"), bytes("2024-03-05")];
  const judge = (changed: string) => endsTexts(whole, bytes(changed), texts);
  deepEqual([
    judge("..G\0\0\0..2024-03-05.."),
    judge("..GF\0\0..2024-03\0\0\0.."),
    judge("..G\0P\0..2024-03-05.."),
    judge("..G\0\0\0..\x00024-03-05.."),
    judge("..GFP\x00..2024-03\0\0\0\0."),
  ], [true, true, false, false, false]);
});
