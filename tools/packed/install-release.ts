import { installRelease } from './packed.ts'

// Installs a release for processes that copy it. If they started at the same time, each of them would install it.
await installRelease()
