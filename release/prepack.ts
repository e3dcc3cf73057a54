// `npm pack` and `npm publish` run this in a package's folder: a tarball never contains an old build.
import { ensureBuilt } from '../packages/wabakit/test/packed.ts'

await ensureBuilt()
