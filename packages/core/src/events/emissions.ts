import type { Emission, EmissionEventOf, EmissionName, EventObservation } from './event-log.ts'

/** Options of `observe`. */
export type IterationOptions = {
  /** Ends the iteration. */
  readonly signal?: AbortSignal
}

/**
 * Events as an async iterator. It starts to collect when it is made, keeps what is not taken yet, and stops when the
 * loop over it ends or the signal is aborted.
 */
export const iterateEmissions = <Name extends EmissionName>(
  observation: EventObservation,
  name: Name,
  { signal }: IterationOptions = {},
): AsyncIterableIterator<Emission<EmissionEventOf<Name>>> => {
  type Item = Emission<EmissionEventOf<Name>>
  const collected: Item[] = []
  const waiting: Array<(result: IteratorResult<Item, undefined>) => void> = []
  let ended = signal?.aborted ?? false

  const stop = observation.on(name, (_event, emission) => {
    const take = waiting.shift()
    if (take === undefined) collected.push(emission)
    else take({ done: false, value: emission })
  })
  const end = (): void => {
    ended = true
    stop()
    signal?.removeEventListener('abort', end)
    for (const take of waiting.splice(0)) take({ done: true, value: undefined })
  }
  if (ended) stop()
  else signal?.addEventListener('abort', end)

  return {
    next: async () => {
      const value = collected.shift()
      if (value !== undefined) return { done: false, value }
      if (ended) return { done: true, value: undefined }
      return new Promise((resolve) => waiting.push(resolve))
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
