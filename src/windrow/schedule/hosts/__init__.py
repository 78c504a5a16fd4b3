"""The host's own schedulers: cron, systemd, launchd and the Task Scheduler of Windows."""
