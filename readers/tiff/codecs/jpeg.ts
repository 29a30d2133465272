import type { Codec } from "./codec.ts";
export const jpeg: Codec = {
  title: "jpeg",
  image: false,
  bitOrder: true,
  maxExpansion: 1e9,
  decode: () => {
    throw new Error("todo");
  },
};
