import { writeSync } from 'node:fs'
import { registerHooks } from 'node:module'

// Preloaded into a process. Prints the modules it loads to standard error.
registerHooks({
  load: (url, context, nextLoad) => {
    writeSync(2, `loads ${url}\n`)
    return nextLoad(url, context)
  },
})
