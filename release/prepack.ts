// `npm pack` and `npm publish` run this in the folder of a package: a tarball never contains an old build.
import { ensureBuilt } from '../packages/wabakit/test/packed.ts'

await ensureBuilt()
