import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { getMessage } from '../api/api-error.ts'

/** Loads a record, and loads it again when one of the keys changes. What is known stays until then. */
export const useRecord = <Value>(load: () => Promise<Value>, keys: readonly unknown[]) => {
  const value = useSignal<Value | undefined>(undefined)
  const problem = useSignal('')
  useEffect(() => {
    let isCurrent = true
    load().then(
      (loaded) => {
        if (!isCurrent) return
        value.value = loaded
        problem.value = ''
      },
      (error: unknown) => {
        if (isCurrent) problem.value = getMessage(error)
      },
    )
    return () => {
      isCurrent = false
    }
  }, keys)
  return { value: value.value, problem: problem.value }
}
