/** A Python with NumPy, where there is one. */

/** In the order in which they are tried: what the user has, what the system has. */
const CANDIDATES = ["python3", "/usr/bin/python3", "python"];

/** True when the program can import a module. */
export function canImport(python: string, module: string): boolean {
  try {
    return new Deno.Command(python, { args: ["-c", `import ${module}`], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}

/** Its name, or `null`. */
export const pythonWithNumpy: string | null = CANDIDATES.find((python) => canImport(python, "numpy")) ?? null;
