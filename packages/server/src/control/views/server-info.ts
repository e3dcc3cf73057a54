import * as z from 'zod/mini'
import { named } from '../schemas.ts'

export const ServerInfo = named(
  'ServerInfo',
  'What this server is. `mock`: it injects faults on request.',
  z.object({
    version: z.string(),
    database: z.enum(['memory', 'sqlite', 'postgresql']),
    role: z.enum(['all', 'api', 'worker']),
    mock: z.boolean(),
  }),
)
export type ServerInfo = z.infer<typeof ServerInfo>
