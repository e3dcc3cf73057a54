/** The command line as the user can run it: with npx, `wabakit` alone is not in the path. */
export const commandName = process.env.npm_command === 'exec' ? 'npx @wabakit/server' : 'wabakit'
