const redrawMs = 100
const repeatMs = 5_000
const latestMs = 15_000

/**
 * Runs an operation that the server performs in parts, one request per part. Shows the progress and returns all parts.
 */
export const sendParts = async <Sent extends { readonly nextCursor?: string | undefined }>(
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

/** Shows a long job: on a terminal, in one line; elsewhere, in a new line for each step, and at most every 5 seconds within it. */
export const createProgressLine = (stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr) => {
  const everyMs = stream.isTTY ? redrawMs : repeatMs
  let shown: string | undefined
  let nextAt = 0
  return {
    /** Shows the progress: immediately for a new step, otherwise at intervals. */
    show: (step: string, text: () => string): void => {
      const now = performance.now()
      if (step === shown && now < nextAt) return
      shown = step
      nextAt = now + everyMs
      stream.write(stream.isTTY ? `\r\x1b[K${text()}` : `${text()}\n`)
    },
    /** Removes the line from a terminal. */
    end: (): void => {
      if (stream.isTTY && shown !== undefined) stream.write('\r\x1b[K')
    },
  }
}

/**
 * Shows the latest state of a job with many short steps: on a terminal, in one line; elsewhere, in a new line every 15 seconds until it
 * ends.
 */
export const createLatestLine = (
  describe: () => string,
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
) => {
  const line = createProgressLine(stream)
  const timer = stream.isTTY ? undefined : setInterval(() => stream.write(`${describe()}\n`), latestMs)
  return {
    /** Redraws the line on a terminal. */
    update: (): void => {
      if (stream.isTTY) line.show('latest', describe)
    },
    end: (): void => {
      clearInterval(timer)
      line.end()
    },
  }
}
