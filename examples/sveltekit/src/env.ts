import { defineEnvVars } from '@sveltejs/kit/env'

export const variables = defineEnvVars({ WABAKIT_WEBHOOK_SECRET: { schema: (value) => value ?? '' } })
