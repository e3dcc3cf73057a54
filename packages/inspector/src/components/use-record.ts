import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { getMessage } from '../api/api-error.ts'
import type { LiveMessage } from '../api/live.ts'
import { createReload } from '../api/reload.ts'

type RecordSource<Value> = {
  /** Loads the record. `signal` aborts when the component is removed or one of the keys changes. */
  readonly load: (signal: AbortSignal) => Promise<Value>
  /** Returns whether a message requires the record to be reloaded. */
  readonly isAbout?: (message: LiveMessage, known: Value | undefined) => boolean
  /** Interval in milliseconds at which the record is also reloaded without a message. */
  readonly pollMs?: number
}

/**
 * Loads a record, and loads it again when one of `keys` changes. Returns the previous value until the new one
 * has loaded. A component that passes no keys must itself have a key that identifies the record.
 */
export const useRecord = <Value>(source: RecordSource<Value>, keys: readonly unknown[] = []) => {
  const value = useSignal<Value | undefined>(undefined)
  const problem = useSignal('')
  const current = useRef(source)
  current.current = source
  // Other effects would send the request only after the next frame.
  useLayoutEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const reload = createReload({
      load: async () => {
        try {
          const loaded = await current.current.load(signal)
          if (signal.aborted) return
          value.value = loaded
          problem.value = ''
        } catch (error) {
          if (!signal.aborted) problem.value = getMessage(error)
        }
      },
      isAbout: (message) => current.current.isAbout?.(message, value.value) ?? false,
    })
    reload.now()
    const { pollMs } = current.current
    const polling = pollMs === undefined ? undefined : setInterval(reload.request, pollMs)
    return () => {
      controller.abort()
      clearInterval(polling)
      reload.stop()
    }
  }, keys)
  return { value: value.value, problem: problem.value }
}
