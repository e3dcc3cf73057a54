import type { OpenEnum } from '@wabakit/wire'
import * as z from 'zod/mini'
import { nonEmpty } from './text.ts'

/** A received text with known values. A service may add others, which must not make an event invalid. */
export const openEnum = <Known extends string>(
  { options }: { readonly options: readonly Known[] },
  text: z.ZodMiniString = nonEmpty(),
) =>
  text.register(z.globalRegistry, { examples: [...options] }) as z.ZodMiniType as z.ZodMiniType<
    OpenEnum<Known>
  >
