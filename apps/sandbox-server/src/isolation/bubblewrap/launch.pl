# Puts one sandbox's mounts together and becomes bubblewrap.
#
# Perl (Debian's perl-base, always installed), because these are system calls that Node cannot make, and one small
# program starts in half the time of the four (unshare, sh, mount, setpriv) that would do the same.
# It waits for its plan on its input: name=value, in the order of launch-plan.ts, then -- and the program to become, each
# ended by a zero. A plan that is missing or cut off is that of a server that was killed, or that needs no launcher.
use strict;

{
    local $/ = undef;
    my $plan = readline(STDIN) // '';
    exit 0 unless $plan =~ s/\0end\0\z//;
    @ARGV = split /\0/, $plan, -1;
}
open(STDIN, '<', '/dev/null') or die "launcher: cannot open /dev/null: $!\n";

my (%plan, @cgroups, @shared);
while (defined(my $argument = shift @ARGV)) {
    last if $argument eq '--';
    my ($name, $value) = split /=/, $argument, 2;
    if ($name eq 'cgroup') { push @cgroups, $value }
    elsif ($name eq 'shared') { push @shared, $value }
    else { $plan{$name} = $value }
}

sub fail { die "launcher: @_: $!\n" }

sub put {
    my ($file, $text) = @_;
    open(my $handle, '>', $file) or fail("cannot open $file");
    (syswrite($handle, $text) // -1) == length $text or fail("cannot write $file");
    close $handle or fail("cannot write $file");
}

# A number is passed as a number and a string as a pointer, so every value must be what it should be.
sub call {
    my ($name, @values) = @_;
    syscall($plan{"sys.$name"} + 0, @values) == -1 and fail($name);
}

# bubblewrap 0.8 refuses --disable-userns together with a map that is written from outside. A fork of ours does the same
# once it is told pid 1's number: it enters the new user namespace and forbids further ones in it. It stays outside the
# cgroups, lets go of all that is not its own, and ends.
sub seal_later {
    my ($fd) = @_;
    open(my $server, '+<&=', $fd) or fail('no line to the server');
    my $child = fork // fail('cannot fork');
    if ($child) { close $server; return }
    for (3 .. $fd - 1) {
        open(my $other, '<&=', $_) or next;
        close $other;
    }
    defined(my $pid = readline $server) or exit 0;    # The start has failed already.
    open(my $users, '<', '/proc/' . ($pid + 0) . '/ns/user') or fail('cannot find the user namespace');
    call('setns', fileno($users), 0x10000000);    # CLONE_NEWUSER
    put('/proc/sys/user/max_user_namespaces', '0');
    syswrite $server, "sealed\n";
    exit 0;
}

my ($bind, $read_only, $private) = (4096, 1, 0x44000);    # MS_BIND, MS_RDONLY, MS_REC|MS_PRIVATE

sub mount_at {
    my ($source, $target, $type, $flags, $options) = @_;
    $target eq $plan{stage} || mkdir $target or fail("cannot make $target");
    syscall($plan{'sys.mount'} + 0, $source, $target, $type, $flags, $options) == -1 and fail("cannot mount $type at $target");
}

put($plan{pid}, "$$\n");
seal_later($plan{seal} + 0) if defined $plan{seal};
# A sandbox that could not join its limits must not run at all. 0 is the writer itself: only then the kernel skips a lock
# whose grace period takes up to 20 ms for each controller. One thread is all that we have, so `tasks` moves all of us.
put($_, "0\n") for @cgroups;

my ($uid, $gid) = ($<, $( + 0);
call('unshare', $plan{namespaces} + 0);
if ($plan{mode} eq 'user') {
    put('/proc/self/setgroups', 'deny');
    put('/proc/self/uid_map', "0 $uid 1");
    put('/proc/self/gid_map', "0 $gid 1");
}
my ($none, $root, $empty) = ('none', '/', '');
call('mount', $none, $root, $empty, $private, 0);

# Relative names, because the options are readable inside.
chdir $plan{layers} or fail('cannot enter the layers');
mount_at('tmpfs', $plan{stage}, 'tmpfs', 0, 'mode=0755,size=1m,nr_inodes=64');
mount_at('overlay', "$plan{stage}/root", 'overlay', 0, $plan{root});
mount_at('overlay', "$plan{stage}/runtime", 'overlay', $read_only, $plan{runtime});
mount_at($plan{egress}, "$plan{stage}/egress", 'none', $bind, '') if defined $plan{egress};
mount_at($shared[$_], "$plan{stage}/shared$_", 'none', $bind, '') for 0 .. $#shared;
chdir '/' or fail('cannot enter /');
umask 022;

# No single file may grow past this; held by the kernel, where the sum is only watched.
my $limit = pack 'QQ', $plan{fsize} + 0, $plan{fsize} + 0;
call('prlimit64', 0, 1, $limit, 0);    # RLIMIT_FSIZE of this process

if ($plan{mode} eq 'root') {
    my $maker = $plan{maker} + 0;
    call('setgroups', 0, 0);
    call('setresgid', $maker, $maker, $maker);
    call('setresuid', $maker, $maker, $maker);
}
# What is in the environment now can be read in /proc/1/environ inside.
%ENV = (PATH => '/usr/sbin:/usr/bin:/sbin:/bin');
exec { $ARGV[0] } @ARGV or fail("cannot start $ARGV[0]");
