import { defineEnvVars } from '@sveltejs/kit/env'

export const variables = defineEnvVars({ WEBHOOK_TOKEN: { schema: (value) => value ?? '' } })
