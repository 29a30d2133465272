import type { Codec } from "./codec.ts";
export const jpeg2000: Codec = {
  title: "jpeg2000",
  image: false,
  bitOrder: true,
  maxExpansion: 1e9,
  decode: () => {
    throw new Error("todo");
  },
};
