/** Lets the TIFF reader of this thread lack planes: those of time point 0, and all of channel 2. */
import { PlaneNotFound } from "../../readers/errors.ts";
import type { Acquisition, Scenes, Source } from "../../readers/reader.ts";
import { FORMATS } from "../../readers/formats.ts";

function incomplete(acquisition: Acquisition): Acquisition {
  const holds: Acquisition["holds"] = (channel, { t }) => t > 0 && channel !== 2;
  return {
    ...acquisition,
    holds,
    plan: async (channels, position, rows) => {
      if (channels.every((channel) => holds(channel, position))) {
        return await acquisition.plan(channels, position, rows);
      }
      throw new PlaneNotFound(`T=${position.t} is missing`);
    },
  };
}

const TIFF = FORMATS.find(({ name }) => name === "tif")!;
const { load } = TIFF;

Object.assign(TIFF, {
  load: async () => {
    const { scenes } = await load();
    return {
      scenes: async (source: Source): Promise<Scenes> => {
        const found = await scenes(source);
        return { ...found, open: async (scene) => incomplete(await found.open(scene)) };
      },
    };
  },
});
