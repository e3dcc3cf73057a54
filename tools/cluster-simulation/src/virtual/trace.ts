/** Creates the trace of a run. All runs of a plan have the same trace. With `keepsLines`, it also stores the lines. */
export const createTrace = (keepsLines: boolean) => {
  const lines: string[] = []
  let [high, low] = [0x811c9dc5, 0x1b873593]
  return {
    lines,
    add: (line: string): void => {
      for (let index = 0; index < line.length; index++) {
        const code = line.charCodeAt(index)
        high = Math.imul(high ^ code, 0x01000193)
        low = Math.imul(low ^ code, 0x5bd1e995)
      }
      high = Math.imul(high ^ 10, 0x01000193) ^ (low >>> 15)
      if (keepsLines) lines.push(line)
    },
    /** Returns a hash of all lines, in 16 hexadecimal digits. */
    hash: (): string => [high, low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join(''),
  }
}
