import type { Codec } from "./codec.ts";
export const lzma: Codec = {
  title: "lzma",
  image: false,
  bitOrder: true,
  maxExpansion: 1e9,
  decode: () => {
    throw new Error("todo");
  },
};
