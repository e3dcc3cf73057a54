import { runEverything } from './run-everything.ts'

export default { fetch: async () => Response.json(await runEverything()) }
