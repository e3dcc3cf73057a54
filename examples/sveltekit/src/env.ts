import { defineEnvVars } from '@sveltejs/kit/env'

export const variables = defineEnvVars({ WEBHOOK_SECRET: { schema: (value) => value ?? '' } })
