/** Loaded before a measured program where there is no GNU time: leaves its peak memory in a file when it ends. */
import { readFileSync, writeFileSync } from 'node:fs';

function peakBytes() {
  try {
    // The kernel's own mark is that of this program alone; the resource usage may include what ran before exec.
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024; // no /proc on this system
  }
}

const report = process.env['CODICIL_BENCH_USAGE'];
if (report !== undefined) process.on('exit', () => writeFileSync(report, String(peakBytes())));
