import type { Emission, EmissionEventOf, EmissionName, EventObservation } from './event-log.ts'

/** Options for `observe`. */
export type IterationOptions = {
  /** Ends the iteration. */
  readonly signal?: AbortSignal
}

/**
 * Iterates over events from now on. Events are buffered until they are read. The iteration stops when the loop over it
 * ends or the signal is aborted.
 */
export const iterateEmissions = <Name extends EmissionName>(
  observation: EventObservation,
  name: Name,
  { signal }: IterationOptions = {},
): AsyncIterableIterator<Emission<EmissionEventOf<Name>>> => {
  type Item = Emission<EmissionEventOf<Name>>
  const collected: Item[] = []
  const readers: Array<(result: IteratorResult<Item, undefined>) => void> = []
  let ended = signal?.aborted ?? false

  const stop = observation.on(name, (_event, emission) => {
    const read = readers.shift()
    if (read === undefined) collected.push(emission)
    else read({ done: false, value: emission })
  })
  const end = (): void => {
    ended = true
    stop()
    signal?.removeEventListener('abort', end)
    for (const read of readers.splice(0)) read({ done: true, value: undefined })
  }
  if (ended) stop()
  else signal?.addEventListener('abort', end)

  return {
    next: async () => {
      const value = collected.shift()
      if (value !== undefined) return { done: false, value }
      if (ended) return { done: true, value: undefined }
      return new Promise((resolve) => readers.push(resolve))
    },
    return: async () => {
      collected.length = 0
      end()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
