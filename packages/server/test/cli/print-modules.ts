import { writeSync } from 'node:fs'
import { registerHooks } from 'node:module'

// Preloaded into a process: says on standard error which modules it loads.
registerHooks({
  load: (url, context, nextLoad) => {
    writeSync(2, `loads ${url}\n`)
    return nextLoad(url, context)
  },
})
