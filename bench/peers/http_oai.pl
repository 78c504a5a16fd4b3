#!/usr/bin/perl
# HTTP::OAI, record by record as they come: http_oai.pl URL FILE
use strict;
use warnings;
use HTTP::OAI;
use IO::Handle;

my ($url, $path) = @ARGV;
open my $out, '>', $path or die "$path: $!";

sub keep {
    my ($record) = @_;
    my $xml = $record->metadata->dom->toString;
    utf8::encode($xml) if utf8::is_utf8($xml);
    $xml =~ tr/\n/ /;
    print {$out} '<identifier>', $record->identifier, '</identifier>', $xml, "\n";
}

my $harvester = HTTP::OAI::Harvester->new(baseURL => $url);
# In 4.12 `next` sees only the last of the pages it went through by itself; the callback sees every record.
my $answer = $harvester->ListRecords(metadataPrefix => 'oai_dc', onRecord => \&keep);
die $answer->message if $answer->is_error;
$out->flush;
$out->sync or die "$path: $!";
