const redrawMs = 100
const repeatMs = 5_000

/** Tells on standard error how far a long job is. */
export type ProgressLine = {
  /** Tells it: at once for a new step, else not too often. */
  show(step: string, text: () => string): void
  /** Ends it, so that other lines can follow. */
  end(): void
}

/** On a terminal, one line that is written again and again; elsewhere a line every 5 seconds. */
export const createProgressLine = (
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
): ProgressLine => {
  const everyMs = stream.isTTY ? redrawMs : repeatMs
  let shown: string | undefined
  let nextAt = 0
  return {
    show: (step, text) => {
      const now = performance.now()
      if (step === shown && now < nextAt) return
      shown = step
      nextAt = now + everyMs
      stream.write(stream.isTTY ? `\r\x1b[K${text()}` : `${text()}\n`)
    },
    end: () => {
      if (stream.isTTY && shown !== undefined) stream.write('\r\x1b[K')
    },
  }
}
