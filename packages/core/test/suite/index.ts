import { authenticationCases } from './authentication.ts'
import type { Case } from './cases.ts'
import { createGroupCases } from './create-group.ts'
import { idempotencyCases } from './idempotency.ts'

/** Everything that the reference server must do, in whatever runtime. */
export const suite: readonly Case[] = [...createGroupCases, ...idempotencyCases, ...authenticationCases]
