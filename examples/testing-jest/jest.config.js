// Packages here are ES modules, which jest 30.5 takes by `require` on Node 24.9 and later:
// node --experimental-vm-modules node_modules/jest/bin/jest.js
module.exports = {
  projects: [
    { displayName: 'real timers' },
    { displayName: 'fake timers', fakeTimers: { enableGlobally: true } },
  ],
}
