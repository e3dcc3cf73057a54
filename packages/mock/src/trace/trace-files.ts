import type { Recorder } from '../recording.ts'
import { type TouchedTenant, touched } from './touched.ts'

type TraceFilesOptions = {
  readonly getRecorder: () => Recorder
  readonly createTrace: () => Promise<string>
}

/** Creates the functions that save a tenant's traces. The code that writes files is loaded with the first one. */
export const createTraceFiles = ({ getRecorder, createTrace }: TraceFilesOptions) => {
  /** The trace of the last failed wait, and the test that it belongs to. */
  let last: { readonly path: string; readonly test: typeof touched.tenants } | undefined

  const save = async (path: string): Promise<void> => {
    const trace = await createTrace()
    await (await import('#port')).writeTrace(path, trace)
  }
  const getFolder = (): string | undefined => globalThis.process?.env?.WABAKIT_TRACE_DIR || undefined
  const createPath = async (name: string): Promise<string> => {
    const file = `${name.replace(/[^\w.-]+/g, '-').slice(0, 80)}-${crypto.randomUUID().slice(0, 8)}.html`
    return (await import('#port')).toTracePath(file, getFolder())
  }
  const saveFailedTest: TouchedTenant['saveFailedTest'] = async ({ name, problem }) => {
    getRecorder().addEnd('test', name, problem)
    const isSaved = last !== undefined && last.test === touched.tenants
    const path = isSaved && last !== undefined ? last.path : await createPath(name)
    await save(path)
    return path
  }

  return {
    save,
    saveFailedTest,
    /** Saves a trace if the environment names a folder for it. Returns lines for the message of the failed wait. */
    saveFailedWait: async (wait: string): Promise<string[]> => {
      if (getFolder() === undefined) return []
      try {
        const path = await createPath(wait)
        await save(path)
        last = { path, test: touched.tenants }
        return [`Open ${path} to see what happened.`]
      } catch (error) {
        return [`No trace was saved. ${error instanceof Error ? error.message : error}`]
      }
    },
  }
}
