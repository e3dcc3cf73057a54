// `npm pack` and `npm publish` run this in a package's folder: a tarball never contains an old build.
import { ensureBuilt } from '../packed/packed.ts'

await ensureBuilt()
