// Preloaded into the console: its standard input is a pipe that nobody writes to, and that the system closes when the daemon is gone,
// killed ones included. Without it a killed daemon would leave a console behind that holds the port.
process.stdin.on('end', () => process.exit(0));
process.stdin.on('error', () => process.exit(0));
process.stdin.resume();
process.stdin.unref?.();
