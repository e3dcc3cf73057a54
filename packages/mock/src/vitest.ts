import { afterEach, beforeEach } from 'vitest'
import { touched } from './trace/touched.ts'

// A file for `setupFiles` of vitest: saves a trace of each mock that a failed test used, and attaches it by an annotation.

beforeEach(() => {
  touched.tenants = new Set()
})

afterEach(async ({ task, annotate }) => {
  const { result } = task
  if (result?.state !== 'fail') return
  const problem = (result.errors ?? []).map(({ message }) => message).join('\n')
  for (const tenant of touched.tenants ?? []) {
    const path = await tenant.saveFailedTest({ name: task.name, problem })
    // `annotate` throws for a test that has ended, although vitest reports annotations of hooks. It looks at the state before
    // it returns its promise, so the state can be restored at once.
    result.state = 'run'
    const annotated = annotate(`Open ${path} to see what happened.`, { path, contentType: 'text/html' })
    result.state = 'fail'
    await annotated
  }
})
