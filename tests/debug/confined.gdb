# A file of commands touches nothing of the host.
shell echo bad
!echo bad
save breakpoints bad
define from-the-file
shell echo bad
save breakpoints bad
end
break work:MEET
commands
print %i
shell echo bad
end
