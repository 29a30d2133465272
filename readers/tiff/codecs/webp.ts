import type { Codec } from "./codec.ts";
export const webp: Codec = {
  title: "webp",
  image: false,
  bitOrder: true,
  maxExpansion: 1e9,
  decode: () => {
    throw new Error("todo");
  },
};
