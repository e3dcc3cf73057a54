import { test } from 'vitest'
import { cases, type Form } from './cases.ts'

/** Runs every case in a new mock of one form. */
export const runCases = (open: () => Promise<{ form: Form; close(): Promise<void> }>): void => {
  test.each(Object.entries(cases))('%s', async (_name, run) => {
    const { form, close } = await open()
    try {
      await run(form)
    } finally {
      await close()
    }
  })
}
