import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

const chromium = '/usr/bin/chromium'

export default defineConfig({
  testMatch: '*.spec.js',
  reporter: 'list',
  use: {
    launchOptions: {
      // Uses the system's browser if there is one, otherwise that of `npx playwright install chromium`.
      ...(existsSync(chromium) && { executablePath: chromium }),
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
    },
  },
})
