import type { Codec } from "./codec.ts";
export const lerc: Codec = {
  title: "lerc",
  image: false,
  bitOrder: true,
  maxExpansion: 1e9,
  decode: () => {
    throw new Error("todo");
  },
};
