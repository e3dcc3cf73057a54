import { memoryStore } from '@wabakit/core'
import { storeCases } from '../store-cases/index.ts'
import { suite } from '../suite/index.ts'

/** The result of running the suite and the store cases in a runtime. */
export type Outcome = { readonly passed: number; readonly failures: readonly string[] }

/** Runs the suite of the server and the cases of its memory store, one after another. */
export const runEverything = async (): Promise<Outcome> => {
  const cases = [
    ...suite,
    ...storeCases.map(({ name, run }) => ({
      name: `Store: ${name}`,
      run: () => run(async () => memoryStore()),
    })),
  ]
  const failures: string[] = []
  for (const { name, run } of cases) {
    try {
      await run()
    } catch (error) {
      failures.push(`${name}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }
  }
  return { passed: cases.length - failures.length, failures }
}
