import { defineSuite } from '../../server/test/core-suite/define-suite.ts'
import { inProcess } from './suite/index.ts'

defineSuite('the reference server in memory', async () => ({ openStore: inProcess.openStore }))
