import { runEverything } from './run-everything.ts'

Object.assign(globalThis, { runEverything })
