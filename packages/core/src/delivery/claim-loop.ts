export type ClaimLoopContext = {
  /** Claims what there is capacity for. Resolves with false if there is none. */
  claim(): Promise<boolean>
  /** Returns whether to claim later. Then somebody calls `run` when the time has come. */
  waits(): boolean
  onError(error: unknown): void
  /** Called when no claim runs any more. */
  onEnd(): void
}

/** Claims on request. Claims never overlap: a request during a claim leads to one more. */
export type ClaimLoop = {
  request(): Promise<void>
  /** Claims what was requested, without waiting. */
  run(): Promise<void>
  isRunning(): boolean
}

export const createClaimLoop = ({ claim, waits, onError, onEnd }: ClaimLoopContext): ClaimLoop => {
  let isRequested = false
  let isRunning = false

  const run = async (): Promise<void> => {
    if (isRunning || !isRequested) return
    isRunning = true
    // Jobs that end together share a claim.
    await undefined
    try {
      do isRequested = false
      while ((await claim()) && isRequested && !waits())
    } catch (error) {
      onError(error)
    }
    isRunning = false
    onEnd()
  }

  return {
    request: async () => {
      isRequested = true
      if (!waits()) await run()
    },
    run,
    isRunning: () => isRunning,
  }
}
