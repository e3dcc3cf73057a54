import './inbox-postgres-versions.long.test.ts'
import { versionCases } from './installed-environment.ts'

// `npm install` in tools/matrix installs them.
for (const version of [16, 17]) versionCases(`tools/matrix/node_modules/postgres${version}`)
