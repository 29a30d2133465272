export async function fuzzHttp(_o: { seed: number; seconds?: number; cases?: number }) {
  return await Promise.resolve({
    cases: 0,
    outcomes: {} as Record<string, number>,
    findings: [] as { case: number; what: string }[],
    seconds: 0,
  });
}
