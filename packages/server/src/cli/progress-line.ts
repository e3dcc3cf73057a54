const redrawMs = 100
const repeatMs = 5_000

/** Shows the progress of a long job on standard error. */
export type ProgressLine = {
  /** Shows the progress: immediately for a new step, otherwise at intervals. */
  show(step: string, text: () => string): void
  /** Removes the line from a terminal. */
  end(): void
}

type Part = { readonly nextCursor?: string | undefined }

/**
 * Sends the requests of an operation that works in parts, showing its progress.
 *
 * @returns the parts.
 */
export const sendParts = async <Sent extends Part>(
  send: (cursor: string | undefined) => Promise<Sent>,
  describe: (parts: readonly Sent[]) => string,
): Promise<readonly Sent[]> => {
  const progress = createProgressLine()
  const parts: Sent[] = []
  try {
    for (let cursor: string | undefined; ; ) {
      const part = await send(cursor)
      parts.push(part)
      cursor = part.nextCursor
      if (cursor === undefined) return parts
      progress.show('parts', () => describe(parts))
    }
  } finally {
    progress.end()
  }
}

/** Creates a progress line. On a terminal, it is redrawn; elsewhere, a new line is printed every 5 seconds. */
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
