/** Metadata of an HDF5 file that may be missing or damaged while its images can be read. */
import { DecodeFailed } from "../errors.ts";
import { listed, lossWarning, warnIf, type Warning, warning } from "../warning.ts";

/** A warning that names damaged scenes, which keep their places and are refused. */
export const warnAboutDamagedScenes = (scenes: readonly string[]): Warning[] =>
  warnIf(scenes.length > 0, "file_damaged", `Images that are damaged are refused: ${listed(scenes)}`);

/** Most losses with a warning of their own; a damaged tree may have thousands. */
const MAX_LOSSES = 20;

/** Collects warnings about metadata that cannot be read. */
export class OptionalMetadata {
  readonly #warnings: Warning[] = [];
  #losses = 0;

  /** All warnings so far. */
  get warnings(): readonly Warning[] {
    const more = this.#losses - MAX_LOSSES;
    const text = `${more} more parts of the metadata cannot be read`;
    return more > 0 ? [...this.#warnings, warning("metadata_damaged", text)] : this.#warnings;
  }

  /** Adds warnings. */
  warn(...warnings: readonly Warning[]): void {
    this.#warnings.push(...warnings);
  }

  /**
   * The value that `read` gives, or `otherwise` with a warning if it is damaged.
   *
   * @param what starts the warning
   * @throws {Unreadable | AcquisitionChanged | Stopped} as `read` does
   */
  read<T, U>(what: string, read: () => T, otherwise: U): T | U {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      this.#losses += 1;
      if (this.#losses <= MAX_LOSSES) this.warn(lossWarning(error, "metadata_damaged", what));
      return otherwise;
    }
  }
}
